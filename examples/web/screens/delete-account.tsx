/** Deletes the account: explains what is deleted and what stays, and requires a typed word and a new sign-in. */
import { useState } from 'preact/hooks'
import { readProfile } from '../api.ts'
import { text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { addressOf } from '../router.tsx'
import { readConfig, startSignIn } from '../sign-in.ts'

export function DeleteAccount() {
  const [word, setWord] = useState('')
  const leave = useWrite(async (_: null) => {
    const [config, profile] = await Promise.all([readConfig(), readProfile()])
    await startSignIn(config, { deletes: profile?.id ?? null })
  })
  const isMeant = word.trim().toUpperCase() === text.deletion.word
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    return isMeant && leave.run(null)
  }
  return (
    <Screen title={text.deletion.title} lead={text.deletion.lead} up={addressOf('profile')}>
      <form class="form panel" onSubmit={submit}>
        <div>
          <h2>{text.deletion.goesTitle}</h2>
          <ul class="bullets">
            {text.deletion.goes.map(item => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </div>
        <div>
          <h2>{text.deletion.staysTitle}</h2>
          <p>{text.deletion.stays}</p>
        </div>
        <label>
          <span>{text.deletion.type(text.deletion.word)}</span>
          <input
            value={word}
            onInput={event => setWord(event.currentTarget.value)}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
          />
        </label>
        <p class="quiet">{text.deletion.again}</p>
        {leave.error !== null && <Notice error={leave.error} />}
        <div class="form-foot">
          <Button submit kind="danger" busy={leave.isBusy} disabled={!isMeant}>
            {text.deletion.action}
          </Button>
        </div>
      </form>
    </Screen>
  )
}
