/** Pictures of the catalogue and of fans. One that is missing or fails leaves a quiet shape in its place. */
import { useState } from 'preact/hooks'
import type { Team } from '../api.ts'
import { Icon } from './icon.tsx'

interface PictureProps {
  src: string | null
  /** Empty if text next to it says the same. */
  alt?: string
  class: string
}

export function Picture({ src, alt = '', class: kind }: PictureProps) {
  const [failed, setFailed] = useState<string | null>(null)
  if (src === null || failed === src) return <span class={`${kind} no-picture`} />
  return (
    <img class={kind} src={src} alt={alt} loading="lazy" decoding="async" onError={() => setFailed(src)} />
  )
}

/** The crest of a team, otherwise its short name in its colours. */
export function Crest({ team, size = 'm' }: { team: Team | undefined; size?: 's' | 'm' | 'l' | 'xl' }) {
  const kind = `crest crest-${size}`
  if (team?.crestUrl) return <Picture src={team.crestUrl} class={kind} />
  const colours = { background: team?.primaryColor ?? undefined, color: team?.secondaryColor ?? undefined }
  return (
    <span class={`${kind} no-crest`} style={colours} aria-hidden="true">
      {team?.shortName.slice(0, 3) ?? '–'}
    </span>
  )
}

/** The picture of a fan, otherwise the first letter of the name, otherwise a figure. */
export function Avatar({
  name,
  src,
  size = 'm',
}: {
  name: string | null
  src: string | null
  size?: 'm' | 'l'
}) {
  const [failed, setFailed] = useState<string | null>(null)
  const kind = `avatar avatar-${size}`
  if (src !== null && failed !== src)
    return <img class={kind} src={src} alt="" loading="lazy" onError={() => setFailed(src)} />
  return (
    <span class={kind} aria-hidden="true">
      {[...(name ?? '')][0]?.toUpperCase() ?? <Icon name="profile" />}
    </span>
  )
}
