/** The desk: a code is typed or scanned, looked up, and used once. Designed for a phone in one hand. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, UnreachableError } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { useAction } from '../../parts/resource.ts'
import { Empty } from '../../parts/states.tsx'
import { type Answer, AnswerPanel } from './answer.tsx'
import { Camera } from './camera.tsx'
import { play } from './feedback.ts'

const DIRECT_KEY = 'matchday console desk direct'
/** The camera reads the same code many times. It counts again only after this time without it. */
const SAME_CODE_MS = 4_000

/** A QR code may hold an address of the app with the code at its end. */
const codeIn = (text: string) =>
  text
    .trim()
    .split(/[/#?=&]/)
    .at(-1)
    ?.slice(0, 100) ?? ''

export function Screen() {
  const [text, setText] = useState('')
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [isScanning, setScanning] = useState(false)
  const [isDirect, setDirect] = useState(() => localStorage.getItem(DIRECT_KEY) === 'yes')
  const input = useRef<HTMLInputElement>(null)
  const seen = useRef({ code: '', at: 0 })

  const look = useAction<string>(async code => {
    try {
      const found = await api.lookUpCode({ code })
      setAnswer({ kind: 'found', code: found })
      play(found.state === 'valid' ? 'unsure' : 'bad')
    } catch (error) {
      fail(error, 'look')
      throw error
    }
  })
  const use = useAction<string>(async (code, requestId) => {
    try {
      const used = await api.useCode({ code, requestId })
      setAnswer({ kind: 'used', code: used })
      play('good')
    } catch (error) {
      await failUse(code, error)
      throw error
    }
  })
  const isBusy = look.isBusy || use.isBusy

  function fail(error: unknown, attempt: 'look' | 'use') {
    setAnswer({ kind: 'failed', error, attempt })
    play(error instanceof UnreachableError ? 'unsure' : 'bad')
  }
  /** Shows why the code was refused. If the code can be looked up, also what it is for and who used it. */
  async function failUse(code: string, error: unknown) {
    if (!(error instanceof UnreachableError)) {
      const found = await api.lookUpCode({ code }).catch(() => null)
      if (found?.state === 'used') {
        setAnswer({ kind: 'found', code: found })
        return play('bad')
      }
    }
    fail(error, 'use')
  }

  const focusInput = () => {
    // With the camera open, the keyboard of a phone would cover the answer.
    if (!isScanning) {
      input.current?.focus()
      input.current?.select()
    }
  }
  const submit = async (typed: string) => {
    const code = codeIn(typed)
    if (code === '' || isBusy) return
    await (isDirect ? use : look).run(code)
    focusInput()
  }
  const useShown = async (code: string) => {
    await use.run(code)
    focusInput()
  }
  const scan = (scanned: string) => {
    const [code, now] = [codeIn(scanned), Date.now()]
    const isSame = code === seen.current.code && now - seen.current.at < SAME_CODE_MS
    // A code that is scanned while another is looked up is read again afterwards.
    if (isBusy && !isSame) return
    seen.current = { code, at: now }
    if (isSame) return
    setText(code)
    void submit(code)
  }
  const clear = () => {
    setAnswer(null)
    setText('')
    seen.current = { code: '', at: 0 }
    focusInput()
  }
  useEffect(() => localStorage.setItem(DIRECT_KEY, isDirect ? 'yes' : 'no'), [isDirect])
  // On a touch screen, the keyboard would cover the scan button.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus()
  }, [])

  const usable = answer?.kind === 'found' && answer.code.state === 'valid' ? answer.code.code : null
  const unsure = answer?.kind === 'failed' && answer.error instanceof UnreachableError ? answer.attempt : null
  return (
    <Page title="Desk" about="Check the code of a reward or a voucher, then use it.">
      <div class="desk">
        <div class="desk-shown">
          {answer && <AnswerPanel answer={answer} onUndone={look.run} />}
          {isScanning && <Camera onCode={scan} />}
          {!answer && !isScanning && (
            <Empty icon="desk" title="Scan or type a code">
              <p>Case, spaces and dashes do not matter. O counts as 0, I and L as 1.</p>
            </Empty>
          )}
        </div>
        <div class="desk-controls">
          {usable !== null && (
            <Button kind="primary" icon="check" busy={isBusy} onClick={() => useShown(usable)}>
              Use it now
            </Button>
          )}
          {unsure !== null && (
            <Button
              kind="primary"
              icon="retry"
              busy={isBusy}
              onClick={() => (unsure === 'use' ? useShown(codeIn(text)) : submit(text))}
            >
              Try again
            </Button>
          )}
          <form
            onSubmit={event => {
              event.preventDefault()
              void submit(text)
            }}
          >
            <label for="desk-code">Code</label>
            <div class="desk-entry">
              <input
                ref={input}
                id="desk-code"
                type="text"
                class="desk-code"
                value={text}
                onInput={event => {
                  setText(event.currentTarget.value)
                  // The shown answer belongs to another code, which must not be used by mistake.
                  setAnswer(null)
                }}
                placeholder="XXXX-XXXX-XXXX-XXXX"
                autocomplete="off"
                autocapitalize="characters"
                spellcheck={false}
                enterkeyhint={isDirect ? 'done' : 'search'}
                maxLength={100}
              />
              {text !== '' && <Button kind="quiet" icon="close" label="Clear" onClick={clear} />}
            </div>
            <div class="desk-actions">
              <Button
                icon={isScanning ? 'close' : 'camera'}
                pressed={isScanning}
                onClick={() => setScanning(!isScanning)}
              >
                {isScanning ? 'Stop' : 'Scan'}
              </Button>
              <Button
                submit
                kind={usable === null && unsure === null ? 'primary' : 'plain'}
                busy={isBusy}
                blocked={text.trim() === '' && 'Type or scan a code first.'}
              >
                {isDirect ? 'Use' : 'Check'}
              </Button>
            </div>
          </form>
          <label class="desk-direct">
            <input
              type="checkbox"
              checked={isDirect}
              onChange={event => setDirect(event.currentTarget.checked)}
            />
            <span>
              Use at once
              <span class="quiet">Without checking it first.</span>
            </span>
          </label>
        </div>
      </div>
    </Page>
  )
}
