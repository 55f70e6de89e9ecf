/** TypeBox, which enters the mock provider here alone. */
export { FormatRegistry, type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
export { Value } from '@sinclair/typebox/value'
