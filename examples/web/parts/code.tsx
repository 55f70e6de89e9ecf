/** A code to show to staff: as a picture for their scanner, in letters, and to copy. */
import { generate } from 'lean-qr'
import { toSvgPath } from 'lean-qr/extras/svg'
import { useRef, useState } from 'preact/hooks'
import { text } from '../lang/lang.ts'
import { AsOf } from './as-of.tsx'
import { Icon } from './icon.tsx'

/** Light modules around the code, which scanners need. */
const QUIET_ZONE = 4

interface CodeProps {
  code: string
  title: string
  /** When the server said that it is valid. */
  asOf?: string | number | null
}

export function Code({ code, title, asOf = null }: CodeProps) {
  const [copied, setCopied] = useState<boolean | null>(null)
  const letters = useRef<HTMLElement>(null)
  const qr = generate(code)
  const side = qr.size + 2 * QUIET_ZONE
  const copy = async () => {
    try {
      // Undefined on pages over http.
      await navigator.clipboard.writeText(code)
      setCopied(true)
    } catch {
      if (letters.current) getSelection()?.selectAllChildren(letters.current)
      setCopied(false)
    }
  }
  return (
    <section class="code-card">
      <h2>{text.rewards.codeTitle}</h2>
      <svg class="qr" role="img" aria-label={text.rewards.codeOf(title)} viewBox={`0 0 ${side} ${side}`}>
        <rect width={side} height={side} />
        <path transform={`translate(${QUIET_ZONE} ${QUIET_ZONE})`} d={toSvgPath(qr)} />
      </svg>
      <code dir="ltr" ref={letters}>
        {code}
      </code>
      <button type="button" class="button plain" onClick={copy}>
        <Icon name={copied ? 'check' : 'copy'} />
        <span aria-live="polite">{copied ? text.rewards.copied : text.rewards.copy}</span>
      </button>
      <p class="quiet" role="status">
        {copied === false ? text.rewards.copyFailed : text.rewards.codeHint}
      </p>
      {asOf !== null && <AsOf instant={asOf} />}
    </section>
  )
}
