from lttng_ust import UstGuest

RECIPE = UstGuest("the newest LTTng-UST (crash ABI 1) on 6.12: programs of both word sizes",
                  "trixie", "linux-image-6.12.*-amd64", lttng="sid")
