/** Which addresses of pictures a catalogue can state. */
import { expect, test } from 'bun:test'
import { pictureFaults } from '../../../src/club/catalogue/entry.ts'

test.each([
  ['https://cdn.example.com/crest.png?v=2'],
  ['/demo/pictures/crests-harbour-city.svg'],
  ['/pictures/shirt.svg?v=2'],
])('%s is the address of a picture', url => {
  expect(pictureFaults('/imageUrl', url)).toEqual([])
})

test.each([
  ['another origin without a scheme', '//cdn.example.com/crest.png'],
  ['a backslash, which browsers read as a slash', '/\\cdn.example.com/crest.png'],
  ['a relative path', 'pictures/shirt.svg'],
  ['a path with a step up', '/pictures/../shirt.svg'],
  ['a space', '/pictures/home shirt.svg'],
  ['http', 'http://cdn.example.com/crest.png'],
  ['credentials', 'https://user:secret@cdn.example.com/crest.png'],
  ['a script', 'javascript:alert(1)'],
])('%s is refused', (_, url) => {
  const message = 'must be an https URL, or a path like /pictures/scarf.svg'
  expect(pictureFaults('/imageUrl', url)).toEqual([{ pointer: '/imageUrl', message }])
})
