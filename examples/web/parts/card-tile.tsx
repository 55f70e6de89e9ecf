import { text } from '../lang/lang.ts'
import { Picture } from './picture.tsx'

interface CardProps {
  card: { name: string; description?: string; imageUrl: string | null; rarity: string }
  /** Such as the serial number or how many there are. */
  note?: string
}

export const CardTile = ({ card: { name, imageUrl, rarity, description }, note }: CardProps) => (
  <div class={`card rarity-${rarity}`}>
    <Picture src={imageUrl} class="card-picture" />
    <div class="card-text">
      <span class="card-rarity">
        <span class="gem" aria-hidden="true" />
        {text.packs.rarities[rarity] ?? rarity}
      </span>
      <strong>{name}</strong>
      {description && <small>{description}</small>}
      {note && <small class="card-note">{note}</small>}
    </div>
  </div>
)
