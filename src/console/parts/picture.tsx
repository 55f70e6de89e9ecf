/** Pictures of the catalogue and of fans. One that is missing or cannot be read leaves a quiet shape. */
import { useState } from 'preact/hooks'
import { addressOfRead } from '../api.ts'
import { may, session } from '../session.ts'
import { Button } from './button.tsx'
import { initialOf } from './capital.ts'
import { Icon } from './icon.tsx'

const UPLOADED = /\/uploads\/([0-9a-f]{64})\.webp$/

/**
 * Where the browser reads a picture: an uploaded one from this origin, another path from the API's. Null for an address that is
 * neither a path nor https.
 */
export function sourceOf(address: string): string | null {
  const uploaded = uploadedSourceOf(address)
  if (uploaded !== null) return uploaded
  if (/^\/[^/\\]/.test(address)) return `${session.value?.apiOrigin ?? ''}${address}`
  return address.startsWith('https://') ? address : null
}

/** The same for uploaded pictures alone: what a fan names otherwise is not read, since its site would see who looks. */
function uploadedSourceOf(address: string): string | null {
  const [, pictureId] = UPLOADED.exec(address) ?? []
  return pictureId === undefined ? null : addressOfRead('readPicture', { pictureId })
}

interface PictureProps {
  /** As the API states it. */
  address: string | null
  /** Empty if text next to it says the same. */
  alt?: string
  class?: string
}

export function Picture({ address, alt = '', class: kind = 'thumb' }: PictureProps) {
  const source = address === null ? null : sourceOf(address)
  const [failed, setFailed] = useState<string | null>(null)
  if (source === null || failed === source)
    return (
      <span class={`${kind} no-picture`}>
        <Icon name="picture" />
        {address !== null && <span class="unseen">The picture cannot be shown.</span>}
      </span>
    )
  return (
    <img
      class={kind}
      src={source}
      alt={alt}
      loading="lazy"
      decoding="async"
      referrerpolicy="no-referrer"
      onError={() => setFailed(source)}
    />
  )
}

interface FaceProps {
  fanId: string
  name: string
  large?: boolean
  /** Where the picture itself may be what was reported. */
  blurred?: boolean
}

/** The picture of a fan, uploaded or of the provider, else the first letter of the name. */
export function Face({ fanId, name, large = false, blurred = false }: FaceProps) {
  const [failed, setFailed] = useState<string | null>(null)
  return (
    <span class={`initial${large ? ' large' : ''}${blurred ? ' blurred' : ''}`} aria-hidden="true">
      {initialOf(name.replace(/^@/, ''))}
      {may('fans.read') && failed !== fanId && (
        <img
          src={addressOfRead('readFace', { fanId })}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailed(fanId)}
        />
      )}
    </span>
  )
}

/**
 * A reported picture, blurred until a moderator looks: an uploaded one, or the provider's, which the server reads. Another one
 * is not shown: to read it would tell its site who looks, and from where.
 */
export function ReportedPicture({ address, fanId }: { address: string; fanId: string | null }) {
  const [isClear, setClear] = useState(false)
  const [isGone, setGone] = useState(false)
  const uploaded = uploadedSourceOf(address)
  const stated =
    fanId !== null && may('fans.read') ? addressOfRead('readFace', { fanId, stated: address }) : null
  const source = uploaded ?? stated
  if (source === null || isGone)
    return (
      <>
        <bdi class="written">{address}</bdi>
        <p class="field-hint">
          {uploaded !== null
            ? 'The picture was deleted.'
            : 'It is on another site, which would learn who looks at it. So it is not shown.'}
        </p>
      </>
    )
  return (
    <span class="reported">
      <img
        src={source}
        alt={isClear ? 'The reported picture' : 'The reported picture, blurred'}
        class={isClear ? 'clear' : undefined}
        loading="lazy"
        onError={() => setGone(true)}
      />
      <Button small pressed={isClear} onClick={() => setClear(!isClear)}>
        {isClear ? 'Blur it' : 'Show it clearly'}
      </Button>
    </span>
  )
}
