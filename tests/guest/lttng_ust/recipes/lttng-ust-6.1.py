from lttng_ust import UstGuest

RECIPE = UstGuest("LTTng-UST 2.13 on 6.1: programs of both word sizes, consumers stopped",
                  "bookworm", "linux-image-6.1.*-amd64", quick=True)
