/** One action for several fans, who are listed by their handles, addresses or ids. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { BulkDialog } from '../../parts/bulk.tsx'
import { Dialog, DialogFoot } from '../../parts/dialog.tsx'
import { Form, NumberField, SelectField, TextArea } from '../../parts/form.tsx'
import { useAction } from '../../parts/resource.ts'
import { Note } from '../../parts/states.tsx'
import { may } from '../../session.ts'
import type { FoundFan } from './types.ts'

const FANS_MAX = 200
const ACTIONS = [
  { value: 'grant', title: 'Grant points', permission: 'points.write' },
  { value: 'signOut', title: 'Sign out everywhere', permission: 'fans.write' },
] as const
type ActionName = (typeof ACTIONS)[number]['value']

export const maySeveral = () => ACTIONS.some(({ permission }) => may(permission))

const nameOf = ({ displayName, name, handle, id }: FoundFan) =>
  displayName ?? name ?? (handle === null ? id : `@${handle}`)

export function SeveralDialog({ onClose }: { onClose: () => unknown }) {
  const [text, setText] = useState('')
  const [fans, setFans] = useState<FoundFan[] | null>(null)
  const [missing, setMissing] = useState<string[]>([])
  const wanted = [...new Set(text.split(/[\s,;]+/).filter(one => one !== ''))]
  const find = useAction(async () => {
    const found = new Map<string, FoundFan>()
    const lost: string[] = []
    for (const one of wanted) {
      const fan = await findOne(one)
      if (fan) found.set(fan.id, fan)
      else lost.push(one)
    }
    setMissing(lost)
    // With a missing one, the list is corrected first.
    if (lost.length === 0) setFans([...found.values()])
  })
  if (fans !== null) return <Act fans={fans} onClose={onClose} />
  const tooMany = wanted.length > FANS_MAX && `At most ${FANS_MAX} fans at once.`
  return (
    <Dialog title="Several fans" busy={find.isBusy} onClose={onClose}>
      <Form
        action={find}
        onSubmit={() => wanted.length > 0 && !tooMany && find.run()}
        foot={
          <DialogFoot
            busy={find.isBusy}
            blocked={(wanted.length === 0 && 'Write at least one handle.') || tooMany}
            onClose={onClose}
          >
            Find them
          </DialogFoot>
        }
      >
        <TextArea
          label="Fans"
          hint={`Handles, e-mail addresses or ids, separated by spaces or lines, at most ${FANS_MAX}.`}
          required
          autofocus
          rows={8}
          value={text}
          onChange={setText}
        />
        {missing.length > 0 && (
          <Note tone="bad">
            No fan has exactly this handle, address or id: <bdi>{missing.join(', ')}</bdi>. Correct or remove
            it.
          </Note>
        )}
      </Form>
    </Dialog>
  )
}

/** The fan that this text names exactly. */
async function findOne(text: string): Promise<FoundFan | undefined> {
  const { fans } = await api.searchFans({ text: text.replace(/^@/, '') })
  return fans.find(({ matches }) =>
    matches.some(({ by, exact }) => exact && ['handle', 'email', 'user_id', 'subject'].includes(by)),
  )
}

function Act({ fans, onClose }: { fans: FoundFan[]; onClose: () => unknown }) {
  const options = ACTIONS.filter(({ permission }) => may(permission))
  const [action, setAction] = useState<ActionName>(options[0]?.value ?? 'signOut')
  const [points, setPoints] = useState<number | null>(null)
  /** One reference for all: a repeat of the same dialog books nothing twice, since it is once per fan. */
  const [ref] = useState(() => `console-${crypto.randomUUID().slice(0, 13)}`)
  const isGrant = action === 'grant'
  return (
    <BulkDialog
      title={`${fans.length} ${fans.length === 1 ? 'fan' : 'fans'}`}
      action={isGrant ? 'Grant the points' : 'Sign them out'}
      items={fans.map(fan => ({ key: fan.id, name: nameOf(fan) }))}
      blocked={isGrant && (points === null || points <= 0) && 'Write the points first.'}
      fields={
        <>
          <SelectField label="Action" required value={action} options={options} onChange={setAction} />
          {isGrant && (
            <NumberField
              label="Points for each fan"
              hint="They count for lifetime points, and move fans up on the boards."
              required
              min={1}
              value={points}
              onChange={setPoints}
            />
          )}
        </>
      }
      send={({ key: fanId }, reason) =>
        isGrant
          ? api.grantPointsToFan({ fanId, delta: points ?? 0, ref: `${ref}-${fanId.slice(-12)}`, reason })
          : api.endSessionsOfFan({ fanId, reason })
      }
      onDone={() => undefined}
      onClose={onClose}
    />
  )
}
