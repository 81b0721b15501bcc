from vmbus.guest import VmbusGuest

RECIPE = VmbusGuest("VMBus devices in trouble, 6.12", "bookworm",
                    "linux-image-6.12.*-amd64")
