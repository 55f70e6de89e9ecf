/** Sends a test message to an endpoint, and shows the response. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SelectField } from '../../parts/form.tsx'
import { Facts } from '../../parts/page.tsx'
import { Payload } from '../../parts/payload.tsx'
import { useAction } from '../../parts/resource.ts'
import { typeInWords } from './event-types.tsx'
import type { EndpointData } from './types.ts'

/** The type of a test without an event. */
const PLAIN = 'webhook.test'

interface TestProps {
  of: EndpointData
  types: string[]
  onClose: () => unknown
}

export function TestDialog({ of: { id, url }, types, onClose }: TestProps) {
  const [type, setType] = useState(PLAIN)
  const [result, setResult] = useState<Data<'testWebhookEndpoint'> | null>(null)
  const send = useAction(async () => {
    setResult(await api.testWebhookEndpoint({ endpointId: id, type: type === PLAIN ? undefined : type }))
  })
  return (
    <Dialog title="Send a test" busy={send.isBusy} onClose={onClose}>
      <Form
        action={send}
        onSubmit={() => {
          setResult(null)
          return send.run()
        }}
        foot={
          <>
            <Button onClick={() => send.isBusy || onClose()}>Close</Button>
            <Button submit kind="primary" icon="send" busy={send.isBusy}>
              {result ? 'Send again' : 'Send'}
            </Button>
          </>
        }
      >
        <div class="dialog-text">
          <p>
            A signed message that belongs to no fan is sent to <bdi>{url}</bdi> at once. It is not stored, and
            a paused endpoint gets it as well.
          </p>
        </div>
        <SelectField
          label="Example"
          pointer="/type"
          required
          value={type}
          options={[PLAIN, ...types].map(value => ({
            value,
            title: value === PLAIN ? value : typeInWords(value),
          }))}
          onChange={setType}
        />
        <div aria-live="polite">{result && <Result of={result} />}</div>
      </Form>
    </Dialog>
  )
}

const Result = ({ of: { succeeded, status, response, tookMs } }: { of: Data<'testWebhookEndpoint'> }) => (
  <Facts
    of={[
      [
        'Result',
        <Badge key="result" tone={succeeded ? 'good' : 'bad'}>
          {succeeded ? 'Delivered' : 'Failed'}
        </Badge>,
      ],
      ['Status', status === null ? 'no response' : String(status)],
      ['Duration', `${tookMs} ms`],
      ['Response', response === '' ? 'empty' : <Payload key="response" label="Response" text={response} />],
    ]}
  />
)
