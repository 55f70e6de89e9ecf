/** `llms.txt`: the pages of the guide for programs that read Markdown, by https://llmstxt.org. */
import { type Entry, INDEX, readContents, readPage } from './contents.ts'

/** `linkTo`: the address of a page, or of the OpenAPI document. */
export function renderLlmsText(linkTo: (file: string) => string): string {
  const [, about = ''] = /^# .+\n\n([\s\S]+?[.:])\s/.exec(readPage(INDEX)) ?? []
  const item = ({ file, title, about }: Entry) =>
    `- [${title}](${linkTo(file)})${about === '' ? '' : `: ${withoutLinks(about)}`}`
  const sections = readContents().map(({ title, pages }) =>
    [`## ${title}`, '', ...pages.flatMap(page => [page, ...page.pages]).map(item)].join('\n'),
  )
  return [
    '# Matchday',
    `> ${withoutLinks(about).replaceAll('\n', ' ')}`,
    `The API is described by its [OpenAPI document](${linkTo('openapi.json')}).`,
    ...sections,
    '',
  ].join('\n\n')
}

const withoutLinks = (markdown: string) => markdown.replace(/\[(.+?)\]\(.+?\)/g, '$1')
