from lttng import LttngGuest

RECIPE = LttngGuest("LTTng of Debian sid (2.16: new lists and names) on 6.12",
                    "bookworm", "linux-image-6.12.*-amd64", modules="sid",
                    types="none")
