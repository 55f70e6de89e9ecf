/** The packing list as a file. It contains addresses, so the audit log records who exported it. */
import { download } from '../../api.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { saveFile } from '../../parts/save-file.ts'
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
      const name = `packing-list-${state === 'none' ? 'to-pack' : 'to-ship'}.csv`
      saveFile(await download('exportPackingList', { state, reason }), name)
      toast('The packing list was exported.')
    }}
    onClose={onClose}
  >
    Up to 2,000 lines with the addresses of fans, as CSV for a spreadsheet. Delete the file when the parcels
    are packed.
  </ReasonDialog>
)
