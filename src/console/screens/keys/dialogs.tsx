/** Creates, rotates and revokes keys. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { sentence } from '../../parts/capital.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { CheckField, TextField } from '../../parts/form.tsx'
import { SecretDialog, useSecret } from '../../parts/secret.tsx'
import { TimeField } from '../../parts/special-fields.tsx'
import { toast } from '../../parts/toast.tsx'

export type KeyData = Data<'listServerKeys'>['keys'][number]
export type ScopeData = Data<'listServerKeys'>['scopes'][number]

interface CreateProps {
  scopes: ScopeData[]
  onDone: () => unknown
  onClose: () => unknown
}

export function CreateDialog({ scopes, onDone, onClose }: CreateProps) {
  const [source, setSource] = useState('')
  const [chosen, setChosen] = useState<ScopeData['scope'][]>([])
  const [expiresAt, setExpiresAt] = useState<string | null>(null)
  const { secret, show, close } = useSecret(onClose)
  if (secret !== null)
    return <SecretDialog title={`The key of ${source}`} what="the key" value={secret} onClose={onClose} />
  return (
    <ReasonDialog
      title="Create a key"
      action="Create key"
      onConfirm={async reason => {
        const body = { source: source.trim(), scopes: chosen, expiresAt, reason }
        show((await api.createServerKey(body)).key)
        onDone()
      }}
      onClose={close}
      fields={
        <>
          <TextField
            label="Source"
            pointer="/source"
            hint="The system, such as turnstiles. Its events keep this name."
            required
            autofocus
            value={source}
            onChange={setSource}
          />
          <fieldset class="field">
            <legend class="field-label">What it may do</legend>
            {scopes.map(({ scope, meaning }) => (
              <CheckField
                key={scope}
                label={sentence(meaning)}
                hint={<code>{scope}</code>}
                value={chosen.includes(scope)}
                onChange={on => setChosen(on ? [...chosen, scope] : chosen.filter(one => one !== scope))}
              />
            ))}
          </fieldset>
          <TimeField label="Expires" pointer="/expiresAt" value={expiresAt} onChange={setExpiresAt} />
        </>
      }
    />
  )
}

interface KeyProps {
  of: KeyData
  onDone: () => unknown
  onClose: () => unknown
}

export function RotateDialog({ of: { source }, onDone, onClose }: KeyProps) {
  const { secret, show, close } = useSecret(onClose)
  if (secret !== null)
    return (
      <SecretDialog title={`The new key of ${source}`} what="the new key" value={secret} onClose={onClose} />
    )
  return (
    <ReasonDialog
      title={`Rotate the key of ${source}`}
      action="Rotate"
      onConfirm={async reason => {
        show((await api.rotateServerKey({ source, reason })).key)
        onDone()
      }}
      onClose={close}
    >
      <p>
        This creates a second key with the same scopes and lifetime. The current key works for another 24
        hours.
      </p>
    </ReasonDialog>
  )
}

export const RevokeDialog = ({ of: { id, source }, onDone, onClose }: KeyProps) => (
  <ReasonDialog
    title={`Revoke a key of ${source}`}
    action="Revoke it"
    tone="danger"
    onConfirm={async reason => {
      await api.revokeServerKeys({ source, keyId: id, reason })
      toast('The key was revoked.')
      onDone()
    }}
    onClose={onClose}
  >
    <p>The key is refused from now on. This cannot be undone. Other keys of the source keep working.</p>
  </ReasonDialog>
)
