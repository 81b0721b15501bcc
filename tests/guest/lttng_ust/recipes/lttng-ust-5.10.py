from lttng_ust import UstGuest

RECIPE = UstGuest("LTTng-UST 2.12 on 5.10: programs of both word sizes, consumers stopped",
                  "bullseye", "linux-image-5.10.*-amd64")
