/**
 * The ceiling: the same HTTP server parses the same body, answers with the same size, and stores nothing.
 */
import Fastify from 'fastify'

type Body = { hotelId: string; ari: unknown[] }

const fastify = Fastify({ logger: false, bodyLimit: 64 * 1024 * 1024 })
fastify.post<{ Body: Body }>('/v1/push/ari', async (request, reply) => {
  const { hotelId, ari } = request.body
  return reply.send({
    code: '200',
    message: 'ARI updated successfully',
    hotelId,
    revision: 1,
    requestId: request.id,
    summary: {
      items: ari.length,
      applied: ari.length,
      partial: 0,
      rejected: 0,
      superseded: 0,
      unchanged: 0,
      cellsChanged: 6,
    },
    results: ari.map((_, index) => ({ index, status: 'applied', cellsChanged: 6 })),
  })
})
process.on('SIGTERM', () => process.exit(0))
process.stdout.write(`${await fastify.listen({ host: '127.0.0.1', port: 0 })}\n`)
