/** Shares an address with the share menu of the device, otherwise copies it. */
import { useState } from 'preact/hooks'
import { language, text } from '../lang/lang.ts'
import { Icon } from './icon.tsx'

export function Share({ path, title }: { path: string; title: string }) {
  const [copied, setCopied] = useState<boolean | null>(null)
  // Social networks read the page in the language of the link.
  const address = new URL(path, location.origin)
  address.searchParams.set('lang', language.id)
  const url = address.href
  const share = async () => {
    // Closing the share menu is not an error.
    if (navigator.share) return navigator.share({ title, url }).catch(() => {})
    // Undefined on pages over http.
    const copy = async () => navigator.clipboard.writeText(url)
    setCopied(
      await copy().then(
        () => true,
        () => false,
      ),
    )
  }
  if (copied === false) return <code dir="ltr">{url}</code>
  return (
    <button type="button" class="button plain" onClick={share}>
      <Icon name={copied ? 'check' : 'share'} />
      <span aria-live="polite">{copied ? text.locker.copied : text.locker.share}</span>
    </button>
  )
}
