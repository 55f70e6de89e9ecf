/** Edits of one entry from its row: its stock, and whether it is offered. Each asks for the reason. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Dialog, ReasonDialog } from '../../parts/dialog.tsx'
import { NumberField } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { type KindName, type ListedEntry, nounOf, type ShownEntry } from './kinds.ts'
import { isMembers, type Members, type Value } from './shapes.ts'

interface EditProps {
  kind: KindName
  entry: Pick<ListedEntry, 'id' | 'title' | 'state' | 'claimed' | 'sold'>
  onDone: () => unknown
  onClose: () => unknown
}

/** Reads the entry when it opens: its revision is the one that is saved. */
export function StockDialog(props: EditProps) {
  const { kind, entry, onClose } = props
  const stored = useResource<ShownEntry>(`catalogue stock ${kind} ${entry.id}`, signal =>
    api.readCatalogueEntry({ kind, entryId: entry.id }, { signal }),
  )
  if (stored.data && !stored.isLoading) return <StockForm {...props} stored={stored.data} />
  return (
    <Dialog title={`Stock of ${entry.title}`} onClose={onClose}>
      <Loaded of={stored}>{() => null}</Loaded>
    </Dialog>
  )
}

interface Units {
  label: string
  pointer: string
  value: number | null
}

/** The members of an entry that count units. */
function unitsOf(entry: Members): Units[] {
  const unit = (label: string, pointer: string, value: Value): Units => ({
    label,
    pointer,
    value: typeof value === 'number' ? value : null,
  })
  if ('supply' in entry) return [unit('Packs in all', '/supply', entry.supply)]
  if (!Array.isArray(entry.variants)) return [unit('Units in all', '/stock', entry.stock)]
  return entry.variants
    .filter(isMembers)
    .map(({ name, id, stock }, nth) =>
      unit(`Units of ${wordOf(name) ?? id}`, `/variants/${nth}/stock`, stock),
    )
}

const wordOf = (text: Value): Value => (isMembers(text) ? Object.values(text)[0] : text)

/** The entry with other numbers of units. */
function withUnits(entry: Members, units: Units[]): Members {
  const [first] = units
  if ('supply' in entry) return { ...entry, supply: first?.value ?? null }
  if (!Array.isArray(entry.variants)) return { ...entry, stock: first?.value ?? null }
  return {
    ...entry,
    variants: entry.variants.map((variant, nth) => ({ ...variant, stock: units[nth]?.value ?? null })),
  }
}

function StockForm({ kind, entry, stored, onDone, onClose }: EditProps & { stored: ShownEntry }) {
  const [units, setUnits] = useState(() => unitsOf(stored.entry))
  const taken = entry.claimed ?? entry.sold ?? 0
  const what = entry.claimed === null ? 'sold' : 'claimed'
  return (
    <ReasonDialog
      title={`Stock of ${entry.title}`}
      action="Save the stock"
      onClose={onClose}
      fields={units.map((unit, nth) => (
        <NumberField
          key={unit.pointer}
          label={unit.label}
          min={0}
          pointer={`/entry${unit.pointer}`}
          value={unit.value}
          onChange={value => setUnits(units.map((one, other) => (other === nth ? { ...one, value } : one)))}
        />
      ))}
      onConfirm={async reason => {
        const saved = withUnits(stored.entry, units)
        const { id: entryId, revision } = stored
        await api.saveCatalogueEntry({ kind, entryId, entry: saved, revision, reason })
        toast(`The stock of ${entry.title} was saved.`)
        await onDone()
      }}
    >
      <p>
        {taken > 0
          ? `The number includes the ${formatCount(taken)} that are ${what}.`
          : `None is ${what} yet.`}{' '}
        Empty means no limit.
      </p>
    </ReasonDialog>
  )
}

/** Offers an entry, or ends that. */
export function ActivationDialog({ kind, entry, onDone, onClose }: EditProps) {
  const active = entry.state === 'off'
  const action = active ? 'Activate' : 'Deactivate'
  return (
    <ReasonDialog
      title={`${action} the ${nounOf(kind)}`}
      action={action}
      onClose={onClose}
      onConfirm={async reason => {
        const { revision } = await api.readCatalogueEntry({ kind, entryId: entry.id })
        await api.switchCatalogueEntry({ kind, entryId: entry.id, active, revision, reason })
        toast(`The ${nounOf(kind)} is now ${active ? 'active' : 'off'}.`)
        await onDone()
      }}
    >
      <p>
        <strong>
          <bdi>{entry.title}</bdi>
        </strong>
      </p>
      <p>
        {active
          ? 'It is offered again, from its start to its end.'
          : 'It is no longer offered. Fans keep what they have.'}
      </p>
    </ReasonDialog>
  )
}
