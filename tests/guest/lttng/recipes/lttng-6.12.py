from lttng import LttngGuest

RECIPE = LttngGuest("LTTng 2.13.18 and ftrace on 6.12, stripped modules",
                    "bookworm", "linux-image-6.12.*-amd64", modules="trixie")
