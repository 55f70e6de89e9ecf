/** Check-in at a match: with the link in the QR code at the gate, with the camera, or with the typed code. */
import { useEffect, useState } from 'preact/hooks'
import { checkIn } from '../api.ts'
import { text } from '../lang/lang.ts'
import { useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Scanner } from '../parts/scanner.tsx'
import { addressOf, Link } from '../router.tsx'

/** The code in the link of the gate, `…/check-in#CODE`, or in the text that a fan typed or pasted. */
function codeOf(written: string): string {
  const bare = written.replace(/\s+/g, '')
  return bare.slice(bare.indexOf('#') + 1)
}

export function CheckIn() {
  const [code, setCode] = useState(() => codeOf(location.hash))
  const [done, setDone] = useState(false)
  const write = useWrite(async (code: string, key) => {
    await checkIn(code, key)
    // A reload would offer a code that has expired.
    history.replaceState(history.state, '', location.pathname)
    setDone(true)
  })
  // The camera of the phone may open the same page again, with a newer code.
  useEffect(() => {
    const update = () => {
      setCode(codeOf(location.hash))
      setDone(false)
    }
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  const scanned = (found: string) => {
    setCode(codeOf(found))
    return write.run(codeOf(found))
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    return write.run(codeOf(code))
  }
  return (
    <Screen title={text.matches.checkIn} lead={text.checkIn.lead} up={addressOf('matches')}>
      {done ? (
        <div class="panel checked-in" role="status">
          <p class="ready">
            <Icon name="check" />
            {text.matches.checkedIn}
          </p>
          <Link to={addressOf('matches')} class="button main">
            {text.nav.matches}
          </Link>
        </div>
      ) : (
        <div class="form panel check-in">
          <Scanner onText={scanned} />
          <form class="field-row" onSubmit={submit}>
            <label class="grow">
              <span>{text.matches.code}</span>
              <input
                name="code"
                value={code}
                onInput={event => setCode(event.currentTarget.value)}
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                required
                dir="ltr"
                aria-describedby="code-hint"
              />
            </label>
            <Button submit busy={write.isBusy}>
              {text.matches.checkIn}
            </Button>
          </form>
          <p id="code-hint" class="quiet">
            {text.checkIn.hint}
          </p>
          {write.error !== null && <Notice error={write.error} />}
        </div>
      )}
    </Screen>
  )
}
