from lttng import LttngGuest

RECIPE = LttngGuest("LTTng 2.12 (the names before 2.13) and ftrace on 5.10",
                    "bullseye", "linux-image-5.10.*-amd64")
