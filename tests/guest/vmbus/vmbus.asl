/*
 * The ACPI device by which hv_vmbus finds that there is a VMBus. Its _HID has
 * five letters, which iasl takes for an error: compile with iasl -f.
 */
DefinitionBlock ("", "SSDT", 2, "RBSTAT", "VMBUS", 1)
{
    Scope (\_SB)
    {
        /* hv_vmbus looks in the parents for a window of memory-mapped I/O. */
        Device (WIND)
        {
            Name (_HID, "ACPI0004")
            Name (_UID, 0)
            Name (_CRS, ResourceTemplate ()
            {
                DWordMemory (ResourceProducer, PosDecode, MinFixed, MaxFixed,
                    Cacheable, ReadWrite, 0,
                    0xF8000000, 0xFBFFFFFF, 0, 0x04000000)
            })

            Device (VMBS)
            {
                Name (_HID, "VMBUS")
                Name (_UID, 0)
                Name (_STA, 0xF)
                Name (_CRS, ResourceTemplate ()
                {
                    IRQNoFlags () {5}
                })
            }
        }
    }
}
