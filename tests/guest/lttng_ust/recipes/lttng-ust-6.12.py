from lttng_ust import UstGuest

RECIPE = UstGuest("LTTng-UST of Debian 13 on 6.12: programs of both word sizes, consumers stopped",
                  "trixie", "linux-image-6.12.*-amd64")
