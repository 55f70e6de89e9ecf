/** Adds an endpoint, or changes which types one receives. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { TextArea, TextField } from '../../parts/form.tsx'
import { SecretDialog, useSecret } from '../../parts/secret.tsx'
import { toast } from '../../parts/toast.tsx'
import type { EndpointData } from './types.ts'

interface EditProps {
  /** Without one, a new endpoint is added. */
  endpoint?: EndpointData
  /** Types of the application. */
  types: string[]
  onDone: () => unknown
  onClose: () => unknown
}

const wordsOf = (text: string) => text.split(/[\s,]+/).filter(word => word !== '')

export function EditDialog({ endpoint, types: known, onDone, onClose }: EditProps) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState(endpoint?.types.join('\n') ?? '*')
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
    const body = { types: wordsOf(types), reason }
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
      onConfirm={send}
      onClose={close}
      fields={
        <>
          {!endpoint && (
            <TextField
              label="URL"
              pointer="/url"
              hint="Events are posted to it. In production it must be https and a public address."
              placeholder="https://crm.example.com/hooks"
              required
              autofocus
              value={url}
              onChange={setUrl}
            />
          )}
          <TextArea
            label="Types"
            pointer="/types"
            hint={`Types and patterns, one a line: * for everything, quest.* for a group. Of Matchday: ${known.join(', ')}.`}
            required
            value={types}
            onChange={setTypes}
          />
        </>
      }
    >
      {endpoint ? (
        <p>What is pending is sent either way. New types are sent from now on; a replay sends no others.</p>
      ) : (
        <p>It receives what happens from now on. Its secret, which signs each message, is shown once.</p>
      )}
    </ReasonDialog>
  )
}
