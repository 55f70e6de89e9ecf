/** The page at `/`: what Matchday is, and the ways to see it: as a fan, as the club, and as a developer. */
import { htmlPage } from './html-page.ts'

interface Served {
  /** Whether the server serves the guide, the demo and, signed in, the console. */
  guide: boolean
  demo: boolean
  console: boolean
  /** By name; undefined outside development. */
  figures?: Record<string, number> | undefined
}

interface Way {
  title: string
  about: string
  links: { path: string; text: string }[]
}

/** Signs the developer in to the console. */
export const CONSOLE_PATH = '/see/club'

export function indexPage({ guide, demo, console, figures }: Served): string {
  const inGuide = (page: string, text: string) => (guide ? [{ path: `/docs/guide/${page}`, text }] : [])
  const ways: Way[] = [
    {
      title: 'Build an app',
      about: 'Typed operations, stable error codes, and clients for TypeScript and React.',
      links: [
        ...inGuide('first-steps', 'First steps'),
        { path: '/docs', text: 'API reference' },
        ...inGuide('clients', 'Clients'),
        { path: '/openapi.json', text: 'OpenAPI document' },
      ],
    },
    {
      title: 'Run a season',
      about: 'Points for what fans do, rewards, quests, packs, predictions, a shop, and codes at the gate.',
      links: [
        ...inGuide('catalogue', 'Catalogue'),
        ...inGuide('earning', 'Earning points'),
        ...inGuide('packs-and-proofs', 'Packs and proofs'),
        ...inGuide('match-day', 'Match day'),
      ],
    },
    {
      title: 'Operate it',
      about: 'One process and one SQLite file, or PostgreSQL and many instances.',
      links: [
        ...inGuide('deployment', 'Deployment'),
        ...inGuide('operations', 'Operations'),
        ...inGuide('performance', 'Performance'),
        { path: '/readyz', text: 'Readiness' },
        { path: '/healthz', text: 'Health' },
      ],
    },
  ]
  const views = [
    ...(demo ? [{ path: '/demo', text: 'See it as a fan' }] : []),
    ...(console ? [{ path: CONSOLE_PATH, text: 'See it as the club' }] : []),
    { path: guide ? '/docs/guide/first-steps' : '/docs', text: 'Build with it' },
  ]
  return htmlPage({
    description: SENTENCE,
    styles: ['text.css'],
    home: '/',
    links: [{ path: '/docs', text: 'API' }, ...(guide ? [{ path: '/docs/guide', text: 'Guide' }] : [])],
    content: `<main class="text start">
<div class="hero">
<div>
<h1>The open backend for sports-fan apps</h1>
<p class="lead">${SENTENCE}</p>
<p class="views">${views.map(({ path, text }) => `<a href="${path}">${text}</a>`).join('\n')}</p>
</div>
<img src="/docs/match-day.svg" alt="A fan app on a match day: a goal falls, points arrive, and a pack opens." width="440" height="520">
</div>
${figures ? renderFigures(figures) : ''}
<div class="ways">
${ways
  .filter(({ links }) => links.length > 0)
  .map(renderWay)
  .join('\n')}
</div>
</main>`,
  })
}

const SENTENCE =
  'Sign-in with your provider, points that add up, rewards, quests, verifiable packs, a shop, and a console for the club’s staff: one command, your own server.'

const renderFigures = (figures: Record<string, number>) =>
  `<h2>On this server</h2>
<dl class="figures">${Object.entries(figures)
    .map(
      ([name, value]) => `<div><dt>${Bun.escapeHTML(name)}</dt><dd>${value.toLocaleString('en')}</dd></div>`,
    )
    .join('')}</dl>`

const renderWay = ({ title, about, links }: Way) => `<section>
<h2>${title}</h2>
<p>${about}</p>
<ul>${links.map(({ path, text }) => `<li><a href="${path}">${text}</a></li>`).join('')}</ul>
</section>`
