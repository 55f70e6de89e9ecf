/** Swagger UI resolves an operation in a part of the document: nothing that the operation refers to is missing there. */
import { expect, test } from 'bun:test'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { type Document, fetchDocument, operationsOf } from './document.ts'

interface References {
  documentFor(document: Document, path: string[]): Document
}

/** As the browser loads it. */
const { documentFor }: References = await import(
  new URL('../../../src/platform/docs/assets/references.js', import.meta.url).href
)

const referencesIn = (value: unknown) => [...JSON.stringify(value).matchAll(/"\$ref":"#\/([^"]+)"/g)]
const find = (document: unknown, path: string[]) =>
  // Guarantee: a step from undefined is undefined, and all else has members.
  path.reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], document)

onEngine(sqliteEngine, 'the part of the document that Swagger UI resolves', world => {
  test('contains the operation and everything that it refers to, and little else', async () => {
    const document = await fetchDocument(world)
    const { length } = JSON.stringify(document)
    for (const { path, method, name } of operationsOf(document)) {
      const part = documentFor(document, ['paths', path, method.toLowerCase()])
      expect(part.paths).toEqual({ [path]: document.paths[path] ?? {} })
      const references = referencesIn(part)
      expect(references.length, name).toBeGreaterThan(0)
      for (const [reference, target = ''] of references) {
        const found = find(part, target.split('/'))
        expect(found, `${name}: ${reference}`).toBeDefined()
        expect(found).toEqual(find(document, target.split('/')))
      }
      expect(JSON.stringify(part).length, name).toBeLessThan(length / 3)
    }
  })

  test('has one component with those that it refers to, or all of a kind', async () => {
    const document = await fetchDocument(world)
    const { securitySchemes, schemas } = document.components
    const part = documentFor(document, ['components', 'schemas', 'Onboarding'])
    expect(part.components).toEqual({ schemas: { Onboarding: schemas.Onboarding } } as never)
    expect(documentFor(document, ['components', 'securitySchemes']).components).toEqual({
      securitySchemes,
    } as never)
    const { components } = documentFor(document, ['components', 'schemas', 'Reward'])
    expect(Object.keys(components.schemas)).toContain('Reward')
  })
})
