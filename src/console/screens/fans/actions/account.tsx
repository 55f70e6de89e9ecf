/** The account of a fan: sessions, names, sanctions, and the export. */

import { useState } from 'preact/hooks'
import { api, download } from '../../../api.ts'
import { Dialog, DialogFoot, ReasonDialog } from '../../../parts/dialog.tsx'
import { Form, NumberField, SelectField, TextArea, TextField } from '../../../parts/form.tsx'
import { useAction } from '../../../parts/resource.ts'
import { toast } from '../../../parts/toast.tsx'
import { REASONS, type ReasonName } from '../../moderation/words.ts'
import type { FanHead } from '../types.ts'
import { type ActionProps, nameOf } from './fan.ts'

type SanctionKind = FanHead['sanctions'][number]['kind']

export const EndSessions = ({ fan, onClose, onDone }: ActionProps) => (
  <ReasonDialog
    title={`Sign ${nameOf(fan)} out everywhere`}
    action="Sign out everywhere"
    tone="danger"
    onConfirm={async reason => {
      const { devices } = await api.endSessionsOfFan({ fanId: fan.id, reason })
      toast(`Signed out on ${devices} ${devices === 1 ? 'device' : 'devices'}, and everywhere else.`)
      onDone()
    }}
    onClose={onClose}
  >
    <p>Every device and browser must sign in again. Nothing else changes.</p>
  </ReasonDialog>
)

export function Rename({ fan, onClose, onDone }: ActionProps) {
  const [displayName, setDisplayName] = useState(fan.displayName ?? '')
  const [handle, setHandle] = useState(fan.handle ?? '')
  const changed = {
    ...(displayName === (fan.displayName ?? '') ? {} : { displayName: displayName.trim() || null }),
    ...(handle === (fan.handle ?? '') ? {} : { handle: handle.trim() || null }),
  }
  return (
    <ReasonDialog
      title={`Name and handle of ${nameOf(fan)}`}
      action="Change"
      fields={
        <>
          <TextField
            label="Name"
            pointer="/displayName"
            hint="Empty: the name at the provider is shown."
            max={50}
            value={displayName}
            onChange={setDisplayName}
          />
          <TextField
            label="Handle"
            pointer="/handle"
            hint="3 to 20 lower-case letters, digits and underscores. Empty: the fan has no handle."
            max={20}
            value={handle}
            onChange={setHandle}
          />
        </>
      }
      onConfirm={async reason => {
        await api.renameFan({ fanId: fan.id, ...changed, reason })
        toast('The name was changed.')
        onDone()
      }}
      onClose={onClose}
    />
  )
}

const KINDS: Record<SanctionKind, string> = {
  hide: 'Hide name, handle and picture',
  mute: 'Mute: no activity in feeds',
  suspend: 'Suspend: the fan can read, but not write',
}
/** Guarantee of the cast: the keys of the constant. */
const CHOICES = (Object.keys(KINDS) as SanctionKind[]).map(value => ({ value, title: KINDS[value] }))
const DAY_MS = 86_400_000

/** A decision as in the moderation queue: the fan sees kind and reason, and can appeal. */
export function Sanction({ fan, onClose, onDone }: ActionProps) {
  const [kind, setKind] = useState<SanctionKind>('hide')
  const [reason, setReason] = useState<ReasonName>('spam')
  const [days, setDays] = useState<number | null>(7)
  const [facts, setFacts] = useState('')
  const [note, setNote] = useState('')
  const send = useAction(async () => {
    const until = new Date(Date.now() + (days ?? 0) * DAY_MS).toISOString()
    await api.decideAboutFan({
      fanId: fan.id,
      kind,
      reason,
      facts: facts.trim(),
      ...(kind === 'suspend' ? { until } : {}),
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    })
    toast('The decision has taken effect.')
    onDone()
  })
  const confirm = async () => {
    if (await send.run()) onClose()
  }
  return (
    <Dialog title={`Hide, mute or suspend ${nameOf(fan)}`} busy={send.isBusy} onClose={onClose}>
      <Form
        action={send}
        onSubmit={confirm}
        foot={
          <DialogFoot busy={send.isBusy} kind="danger" onClose={onClose}>
            Decide
          </DialogFoot>
        }
      >
        <SelectField
          label="Decision"
          pointer="/kind"
          required
          value={kind}
          options={CHOICES}
          onChange={setKind}
        />
        {kind === 'suspend' && (
          <NumberField
            label="Days"
            pointer="/until"
            min={1}
            max={3_650}
            required
            value={days}
            onChange={setDays}
          />
        )}
        <SelectField
          label="Reason"
          pointer="/reason"
          hint="The fan sees it, and can appeal."
          required
          value={reason}
          options={REASONS}
          onChange={setReason}
        />
        <TextArea
          label="Facts"
          pointer="/facts"
          hint="The fan sees them: what, where and when."
          max={1_000}
          required
          value={facts}
          onChange={setFacts}
        />
        <TextArea
          label="Note"
          pointer="/note"
          hint="For moderators."
          max={500}
          value={note}
          onChange={setNote}
        />
      </Form>
    </Dialog>
  )
}

export const Export = ({ fan, onClose }: ActionProps) => (
  <ReasonDialog
    title={`Export ${nameOf(fan)}`}
    action="Download"
    onConfirm={async reason => {
      await download('exportFan', { fanId: fan.id, reason }, `fan-${fan.id}.json`)
      toast('The document was downloaded.')
    }}
    onClose={onClose}
  >
    <p>Everything that is stored about the fan, as one JSON document. Give it only to the fan.</p>
  </ReasonDialog>
)
