from lttng import LttngGuest

RECIPE = LttngGuest("LTTng 2.13.18 and ftrace on 6.12, modules as DKMS leaves them (BTF)",
                    "bookworm", "linux-image-6.12.*-amd64", modules="trixie")
