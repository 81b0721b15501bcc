from lttng_ust import UstGuest

RECIPE = UstGuest("LTTng-UST of Debian 13 on 7.x: programs of both word sizes, consumers stopped",
                  "trixie-backports", "linux-image-7.*-amd64", lttng="trixie")
