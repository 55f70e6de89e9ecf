/** The history of one copy of a card, verified in this browser: its origin and each transfer. */
import { verifyProvenance } from '@matchday/client'
import { hasCode, type Provenance, readProfile, readProof, readProvenance } from '../api.ts'
import { formatHandle, formatMoment, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { CardTile } from '../parts/card-tile.tsx'
import { Icon } from '../parts/icon.tsx'
import { NotFound, Screen } from '../parts/layout.tsx'
import { addressOf, Link } from '../router.tsx'

interface CardProps {
  id: string
  serialNumber: number
}

/** The draw of the card; undefined for one that was given, or drawn by a fan who has left. */
async function readDraw({ origin }: Provenance) {
  const [kind, userPackId] = origin.source.split(':')
  if (kind !== 'pack' || userPackId === undefined) return undefined
  try {
    return await readProof(userPackId)
  } catch (error) {
    if (hasCode(error, 'proof_not_found')) return undefined
    throw error
  }
}

async function loadCard({ id, serialNumber }: CardProps) {
  const [history, own] = await Promise.all([readProvenance(id, serialNumber), readProfile()])
  const proof = await readDraw(history)
  const { holds } = await verifyProvenance(history, proof)
  return { history, holds, isDrawn: proof !== undefined, own: own?.handle ?? null }
}
type CardData = Awaited<ReturnType<typeof loadCard>>

export function Card({ id, serialNumber }: CardProps) {
  const loaded = useLoaded(`card ${id} ${serialNumber}`, () => loadCard({ id, serialNumber }))
  if (hasCode(loaded.error, 'item_not_found', 'validation_failed')) return <NotFound />
  return (
    <Screen title={loaded.data?.history.name ?? text.nav.collection} up={addressOf('collection')} bare>
      <Loading of={loaded} skeleton={<Bones kind="card" count={1} />}>
        {data => <Detail {...data} />}
      </Loading>
    </Screen>
  )
}

function Detail({ history, own, ...verdict }: CardData) {
  const { name, serialNumber, collectibleId, origin, transfers } = history
  const { owner } = transfers.at(-1) ?? origin
  return (
    <article class="detail card-detail">
      <CardTile card={history} note={text.packs.serial(serialNumber)} />
      <div class="detail-text">
        <h1>{name}</h1>
        <p class="price">{text.packs.serial(serialNumber)}</p>
        <Verdict
          {...verdict}
          address={`/api/collectibles/${collectibleId}/serials/${serialNumber}/provenance`}
        />
        <h2>{text.history.title}</h2>
        <ol class="timeline">
          <Step words={wordsOf(origin.source)} owner={origin.owner} at={origin.at} />
          {transfers.map(({ hash, ref, owner, at }) => (
            <Step key={hash} words={wordsOf(ref)} owner={owner} at={at} />
          ))}
        </ol>
        {owner.handle &&
          (owner.handle === own ? (
            <p class="panel quiet">{text.history.yours}</p>
          ) : (
            <Link
              to={addressOf('fans', owner.handle, 'trade', collectibleId, String(serialNumber))}
              class="button main"
            >
              {text.history.ask}
            </Link>
          ))}
      </div>
    </article>
  )
}

/** Words for a reference such as `pack:…`, `quest:…` or `trade:…`: the origin or transfer of the card. */
function wordsOf(reference: string): string {
  const [kind = ''] = reference.split(':')
  return text.history.kinds[kind] ?? text.history.given
}

interface StepProps {
  words: string
  owner: Provenance['origin']['owner']
  at: string
}

const Step = ({ words, owner: { state, handle }, at }: StepProps) => (
  <li>
    <strong class="line">{words}</strong>
    <span>
      {handle === null ? (
        text.history.owners[state]
      ) : (
        <Link to={addressOf('fans', handle)}>{formatHandle(handle)}</Link>
      )}
    </span>
    <small class="quiet">{formatMoment(at)}</small>
  </li>
)

const Verdict = ({ holds, isDrawn, address }: { holds: boolean; isDrawn: boolean; address: string }) => (
  <div class={holds ? 'verdict on-page' : 'verdict on-page flawed'}>
    <Icon name={holds ? 'shield' : 'alert'} />
    <p class="grow">
      <strong>{holds ? text.history.verified : text.history.flawed}</strong>
      <br />
      <span>
        {holds ? (isDrawn ? text.history.verifiedDraw : text.history.verifiedLinks) : text.packs.flawedAbout}
      </span>{' '}
      <a href={address} target="_blank" rel="noreferrer">
        {text.packs.proof}
      </a>
    </p>
  </div>
)
