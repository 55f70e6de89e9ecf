/** The screens about the fan's cards. */
import { text } from '../lang/lang.ts'
import { addressOf, Link } from '../router.tsx'

const SCREENS = ['collection', 'sets', 'locker', 'trades'] as const

export const CardsNav = ({ current }: { current: (typeof SCREENS)[number] }) => (
  <nav class="choice" aria-label={text.nav.cards}>
    {SCREENS.map(name => (
      <Link key={name} to={addressOf(name)} aria-current={name === current ? 'page' : undefined}>
        {text.nav[name]}
      </Link>
    ))}
  </nav>
)
