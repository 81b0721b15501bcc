from lttng import LttngGuest

RECIPE = LttngGuest("LTTng 2.13 that counts records per buffer, on 6.1",
                    "bookworm", "linux-image-6.1.*-amd64",
                    defines=["LTTNG_RING_BUFFER_COUNT_EVENTS"])
