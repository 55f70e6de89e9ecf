/** The packing list as a file. It has addresses: the audit log keeps who exported it. */
import { writeForFile } from '../../api.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toast.tsx'

export const PackingListDialog = ({
  state,
  onClose,
}: {
  state: 'none' | 'ready'
  onClose: () => unknown
}) => (
  <ReasonDialog
    title="Export the packing list"
    action="Export"
    onConfirm={async reason => {
      const file = await writeForFile('/api/orders/packing-list', { state, reason })
      const url = URL.createObjectURL(file)
      const link = document.createElement('a')
      link.href = url
      link.download = `packing-list-${state === 'none' ? 'to-pack' : 'to-ship'}.csv`
      link.click()
      URL.revokeObjectURL(url)
      toast('The packing list was exported.')
    }}
    onClose={onClose}
  >
    Up to 2,000 lines with the addresses of fans, as CSV for a spreadsheet. Delete the file when the parcels
    are packed.
  </ReasonDialog>
)
