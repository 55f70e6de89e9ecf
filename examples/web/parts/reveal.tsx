/** The cards of an opened pack: they turn over one by one, or are shown at once with reduced motion. */
import type { ComponentChildren } from 'preact'
import type { Drawn } from '../draw.ts'
import { text } from '../lang/lang.ts'
import { addressOf, Link } from '../router.tsx'
import { CardTile } from './card-tile.tsx'
import { Icon } from './icon.tsx'
import { Share } from './share.tsx'

export const Reveal = ({ drawn }: { drawn: Drawn }) => (
  <section class="reveal" aria-live="polite">
    <h2>{text.packs.opened}</h2>
    <ul class="cards">
      {drawn.items.map((item, nth) => (
        <li key={`${item.id} ${nth}`} class="turning" style={{ '--nth': nth }}>
          <CardTile
            card={item}
            {...(item.serialNumber !== undefined && { note: text.packs.serial(item.serialNumber) })}
          />
        </li>
      ))}
    </ul>
    <Verdict holds={drawn.holds}>
      <Link to={addressOf('packs', 'own', drawn.userPackId, 'proof')}>{text.packs.proof}</Link>
    </Verdict>
    <p class="actions">
      <Link to={addressOf('collection')} class="button main">
        {text.packs.toCollection}
      </Link>
      <Link to={addressOf('packs', drawn.commitment.packId)} class="button plain">
        {text.packs.again}
      </Link>
      <Share path={`/shared/packs/${drawn.userPackId}`} title={text.packs.opened} />
    </p>
  </section>
)

/** Whether the draw follows from the published commitment. */
export const Verdict = ({ holds, children }: { holds: boolean; children?: ComponentChildren }) => (
  <div class={holds ? 'verdict' : 'verdict flawed'}>
    <Icon name={holds ? 'shield' : 'alert'} />
    <p class="grow">
      <strong>{holds ? text.packs.verified : text.packs.flawed}</strong>
      <br />
      <span>{holds ? text.packs.verifiedAbout : text.packs.flawedAbout}</span> {children}
    </p>
  </div>
)
