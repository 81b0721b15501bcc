from lttng import LttngGuest

RECIPE = LttngGuest("LTTng 2.13 and ftrace on 6.1, modules as DKMS leaves them (no types)",
                    "bookworm", "linux-image-6.1.*-amd64", quick=True)
