/** Adds an endpoint, or changes which types one receives. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/form.tsx'
import { SecretDialog, useSecret } from '../../parts/secret.tsx'
import { toast } from '../../parts/toast.tsx'
import { TypesField } from './event-types.tsx'
import type { EndpointData } from './types.ts'

interface EditProps {
  /** Without one, a new endpoint is added. */
  endpoint?: EndpointData
  /** Types of the application. */
  types: string[]
  onDone: () => unknown
  onClose: () => unknown
}

export function EditDialog({ endpoint, types: known, onDone, onClose }: EditProps) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState(endpoint?.types ?? ['*'])
  const { secret, show, close } = useSecret(onClose)
  if (secret !== null)
    return (
      <SecretDialog
        title="The endpoint is added"
        what="the secret of the endpoint"
        value={secret}
        onClose={onClose}
      />
    )
  const send = async (reason: string) => {
    const body = { types, reason }
    if (endpoint) {
      await api.setWebhookTypes({ endpointId: endpoint.id, ...body })
      toast('The types are changed.')
    } else {
      const { secret } = await api.addWebhookEndpoint({ url: url.trim(), ...body })
      show(secret)
    }
    onDone()
  }
  return (
    <ReasonDialog
      title={endpoint ? 'Change the types' : 'Add an endpoint'}
      action={endpoint ? 'Change' : 'Add endpoint'}
      blocked={types.length === 0 && 'Choose at least one type.'}
      onConfirm={send}
      onClose={close}
      fields={
        <>
          {!endpoint && (
            <TextField
              label="URL"
              pointer="/url"
              hint="Events are sent to it with POST. In production it must use https and have a public address."
              placeholder="https://crm.example.com/hooks"
              required
              autofocus
              value={url}
              onChange={setUrl}
            />
          )}
          <TypesField known={known} value={types} onChange={setTypes} />
        </>
      }
    >
      {endpoint ? (
        <p>
          Pending deliveries are sent anyway. Events of new types are sent from now on; a replay does not send
          earlier ones.
        </p>
      ) : (
        <p>It receives events from now on. Its secret, which signs each message, is shown once.</p>
      )}
    </ReasonDialog>
  )
}
