/** The tables in the dialect of PostgreSQL. CommonJS, because drizzle-kit requires one export per table. */
module.exports = require('./tables.ts').defineTables(require('./columns.ts').postgres)
