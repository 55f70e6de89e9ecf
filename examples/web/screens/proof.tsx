/** The draw of an opened pack: the commitment, the seeds of both sides, and the result. */
import { formatPercent, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { NotFound, Screen, Section } from '../parts/layout.tsx'
import { Verdict } from '../parts/reveal.tsx'
import { addressOf } from '../router.tsx'
import { loadOwn } from './own-pack.tsx'

/** Weights are in millionths. */
const SCALE = 1_000_000

export function Proof({ id }: { id: string }) {
  const loaded = useLoaded(`own pack ${id}`, async () => ({ own: await loadOwn(id) }))
  if (loaded.data && !loaded.data.own?.drawn) return <NotFound />
  const name = loaded.data?.own?.name
  return (
    <Screen title={text.proof.title} lead={name} up={addressOf('packs', 'own', id)}>
      <Loading of={loaded} skeleton={<Bones count={5} />}>
        {({ own }) => own?.drawn && <Draw drawn={own.drawn} names={namesOf(own)} />}
      </Loading>
    </Screen>
  )
}

type Own = NonNullable<Awaited<ReturnType<typeof loadOwn>>>
const namesOf = ({ pack, drawn }: Own) =>
  new Map([...(pack?.items ?? []), ...(drawn?.items ?? [])].map(({ id, name }) => [id, name]))

function Draw({ drawn, names }: { drawn: NonNullable<Own['drawn']>; names: Map<string, string> }) {
  const { proof, commitment, holds, userPackId } = drawn
  return (
    <>
      <Verdict holds={holds} />
      <Section title={text.proof.before}>
        <dl class="panel proof-facts">
          <Fact name={text.proof.seedHash} value={commitment.seedHash} />
          <Fact name={text.proof.termsHash} value={commitment.termsHash} />
        </dl>
      </Section>
      <Section title={text.proof.seeds}>
        <dl class="panel proof-facts">
          <Fact name={text.proof.clientSeed} value={proof.clientSeed} />
          <Fact name={text.proof.serverSeed} value={proof.serverSeed} />
        </dl>
      </Section>
      <Section title={text.proof.drawn}>
        <ol class="list">
          {proof.items.map((id, nth) => (
            <li key={`${id} ${nth}`} class="row">
              <strong class="grow">{names.get(id) ?? id}</strong>
            </li>
          ))}
        </ol>
      </Section>
      <Section title={text.proof.weights}>
        <ul class="list">
          {proof.weights.map(({ id, rarity, weight }) => (
            <li key={id} class="row">
              <span class="grow">
                <span class="line">{names.get(id) ?? id}</span>
                <small class="quiet">{text.packs.rarities[rarity] ?? rarity}</small>
              </span>
              <strong class="amount">{formatPercent(String(weight / SCALE))}</strong>
            </li>
          ))}
        </ul>
      </Section>
      <p class="leave">
        <a
          class="button plain"
          href={`/api/packs/proofs/${userPackId}`}
          download={`proof-${userPackId}.json`}
        >
          {text.proof.file}
        </a>
      </p>
      <p class="quiet">{text.proof.fileAbout}</p>
    </>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <code dir="ltr">{value}</code>
    </dd>
  </div>
)
