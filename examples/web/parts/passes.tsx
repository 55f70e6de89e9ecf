import type { Kept } from '../kept.ts'
import { text } from '../lang/lang.ts'
import type { Pass } from '../passes.ts'
import { addressOf, Link } from '../router.tsx'
import { AsOf } from './as-of.tsx'
import { Code } from './code.tsx'
import { Icon } from './icon.tsx'

/** Passes of a group, each with its code, one open at a time, so that a scanner sees one. */
export const Passes = ({ kept: { passes, asOf } }: { kept: Kept<Pass> }) => (
  <ul class="list passes">
    {passes.map(({ id, kind, title, code, to }) => (
      <li key={id}>
        <details name="passes">
          <summary class="row">
            <Icon name={kind === 'reward' ? 'rewards' : 'shop'} />
            <span class="grow">
              <strong class="line">{title}</strong>
              <code dir="ltr">{code}</code>
            </span>
            <Icon name="down" />
          </summary>
          <Code code={code} title={title} />
          <p class="pass-foot">
            <Link to={to}>{text.codes.details}</Link>
          </p>
        </details>
        <AsOf instant={asOf} />
      </li>
    ))}
  </ul>
)

/** Leads to the member cards of the device. */
export const CardLink = () => (
  <Link to={addressOf('membership')} class="button small">
    {text.nav.membership}
  </Link>
)

/** Leads to the codes of the device, if there are any. */
export const CodesLink = () => (
  <Link to={addressOf('codes')} class="button small">
    {text.nav.codes}
  </Link>
)
