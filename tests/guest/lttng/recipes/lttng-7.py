from lttng.newer import NewerLttngGuest

RECIPE = NewerLttngGuest("LTTng of Debian sid (2.16) and ftrace on 7.x",
                         "trixie-backports", "linux-image-7.*-amd64", modules="sid")
