from lttng import LttngGuest

RECIPE = LttngGuest("LTTng 2.13 and ftrace on 6.1, modules with split BTF",
                    "bookworm", "linux-image-6.1.*-amd64", types="btf",
                    cpu="max,la57=off")
