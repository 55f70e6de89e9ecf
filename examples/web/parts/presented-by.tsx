import type { Sponsor } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Picture } from './picture.tsx'

interface PresentedByProps {
  sponsor: Sponsor | null
  /** Without a link, inside of what is a link itself. */
  plain?: boolean
}

/** The sponsor who supports what is shown. Nothing without one. */
export function PresentedBy({ sponsor, plain = false }: PresentedByProps) {
  if (sponsor === null) return null
  const { name, imageUrl, url } = sponsor
  return (
    <span class="presented">
      <span class="quiet">{text.sponsors.presentedBy}</span>
      {imageUrl && <Picture src={imageUrl} class="sponsor-logo" />}
      {url === null || plain ? (
        <strong>{name}</strong>
      ) : (
        <a href={url} target="_blank" rel="noreferrer">
          {name}
        </a>
      )}
    </span>
  )
}
