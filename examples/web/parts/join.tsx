/** The onboarding: what the fan agrees to, and the code of the friend who invited them. */
import { useRef, useState } from 'preact/hooks'
import { join, writeConsents } from '../api.ts'
import { forgetInvitation, invitation } from '../invitation.ts'
import { text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { Button } from './button.tsx'
import { ConsentChoices, type Document } from './consents.tsx'
import { Refused } from './refused.tsx'

interface Joining {
  referralCode: string | undefined
  agreed: Document[]
}

export function Join({ documents, onJoined }: { documents: Document[]; onJoined: () => Promise<void> }) {
  const [agreed, setAgreed] = useState<Document[]>([])
  // A fan can change the choice after joining was refused.
  const stated = useRef<Document[]>([])
  // Consents first: the form leaves the screen as soon as the fan has joined, and could not show that they failed.
  const write = useWrite(async ({ referralCode, agreed }: Joining, key) => {
    stated.current = [...new Set([...stated.current, ...agreed])]
    const consents = stated.current.map(document => {
      const { purpose, version } = document
      return [purpose, { granted: agreed.includes(document), version }]
    })
    if (consents.length > 0) await writeConsents(Object.fromEntries(consents), `${key}:consents`)
    await join({ referralCode }, key)
    forgetInvitation()
    await onJoined()
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    return write.run({ referralCode: String(fields.get('referralCode')).trim() || undefined, agreed })
  }
  return (
    <>
      <form class="hero-join" onSubmit={submit}>
        {documents.length > 0 && (
          <ConsentChoices
            inForm
            documents={documents}
            granted={({ id }) => agreed.some(one => one.id === id)}
            onChange={(document, granted) =>
              setAgreed([...agreed.filter(({ id }) => id !== document.id), ...(granted ? [document] : [])])
            }
          />
        )}
        <label class="hero-invited">
          <span>{text.invite.invitedBy}</span>
          <input
            name="referralCode"
            maxLength={64}
            dir="ltr"
            defaultValue={invitation()}
            autocomplete="off"
          />
        </label>
        <Button submit busy={write.isBusy}>
          {text.home.join}
        </Button>
        <p>{text.home.joinLead}</p>
      </form>
      <Refused write={write} />
    </>
  )
}
