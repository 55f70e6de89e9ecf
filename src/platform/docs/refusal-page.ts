/** The page of a request that was refused, for browsers that opened a page or sent its form. Programs get a problem document. */
import { chooserOf } from '../../core/language-tags.ts'
import type { ProblemType } from '../../core/problems.ts'
import { preferredLanguages } from '../http/edge/accept-language.ts'
import { pathOf } from '../http/edge/query.ts'
import { htmlPage, TEXT_POLICY } from './html-page.ts'
import { namesHtmlFirst } from './missing-page.ts'
import { pageResponse } from './page-response.ts'

const en = {
  lang: 'en',
  dir: 'ltr' as 'ltr' | 'rtl',
  title: 'This did not work',
  busy: 'The server is busy. Wait a moment, go back, and try again.',
  tooLarge: 'What you sent is too large. Go back, and shorten it.',
  failed: 'Go back, and try again.',
}
const pt: typeof en = {
  ...en,
  lang: 'pt',
  title: 'Isto não funcionou',
  busy: 'O servidor está ocupado. Aguarde um momento, volte atrás e tente de novo.',
  tooLarge: 'O que enviou é demasiado grande. Volte atrás e encurte-o.',
  failed: 'Volte atrás e tente de novo.',
}
const ptBr: typeof en = {
  ...pt,
  lang: 'pt-BR',
  title: 'Isso não funcionou',
  busy: 'O servidor está ocupado. Espere um momento, volte e tente de novo.',
  tooLarge: 'O que você enviou é grande demais. Volte e encurte o texto.',
  failed: 'Volte e tente de novo.',
}
const ar: typeof en = {
  lang: 'ar',
  dir: 'rtl',
  title: 'لم ينجح ذلك',
  busy: 'الخادم مشغول. انتظر لحظة، ثم ارجع وحاول مرة أخرى.',
  tooLarge: 'ما أرسلته كبير جدًا. ارجع واختصره.',
  failed: 'ارجع وحاول مرة أخرى.',
}
const wordsFor = chooserOf<typeof en>(en, pt, ptBr, ar)

/** Whether a browser opens a page or sends a form. Paths of the API are for programs. */
export const wantsPage = (request: Request): boolean =>
  namesHtmlFirst(request) && !pathOf(request.url).startsWith('/api/')

/** `asset`: where the style and the logo are. */
export function refusalPage(
  { headers }: Request,
  { status }: ProblemType,
  asset: (name: string) => string,
): Response {
  const words = wordsFor(preferredLanguages([], headers.get('accept-language')))
  const text = status === 503 || status === 429 ? 'busy' : status === 413 ? 'tooLarge' : 'failed'
  const { lang, dir, title } = words
  const head = '<meta name="robots" content="noindex">'
  const content = `<main class="notice">\n<h1>${title}</h1>\n<p>${words[text]}</p>\n</main>`
  const html = htmlPage({ lang, dir, title, head, styles: [], asset, home: '/', links: [], content })
  return pageResponse(html, 'text/html; charset=utf-8', TEXT_POLICY, status)
}
