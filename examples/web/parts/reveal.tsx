/** The cards of an opened pack: they turn over one by one, or lie open for those who want less motion. */
import type { Drawn } from '../draw.ts'
import { text } from '../lang/lang.ts'
import { addressOf, Link } from '../router.tsx'
import { CardTile } from './card-tile.tsx'
import { Icon } from './icon.tsx'

export const Reveal = ({ drawn: { items, holds, userPackId } }: { drawn: Drawn }) => (
  <section class="reveal" aria-live="polite">
    <h2>{text.packs.opened}</h2>
    <ul class="cards">
      {items.map((item, nth) => (
        <li key={`${item.id} ${item.serialNumber}`} class="turning" style={{ '--nth': nth }}>
          <CardTile card={item} note={text.packs.serial(item.serialNumber)} />
        </li>
      ))}
    </ul>
    <div class={holds ? 'verdict' : 'verdict flawed'}>
      <Icon name={holds ? 'shield' : 'alert'} />
      <p class="grow">
        <strong>{holds ? text.packs.verified : text.packs.flawed}</strong>
        <br />
        <span>{holds ? text.packs.verifiedAbout : text.packs.flawedAbout}</span>{' '}
        <a href={`/api/packs/proofs/${userPackId}`} target="_blank" rel="noreferrer">
          {text.packs.proof}
        </a>
      </p>
    </div>
    <Link to={addressOf('collection')} class="button plain">
      {text.packs.toCollection}
    </Link>
  </section>
)
