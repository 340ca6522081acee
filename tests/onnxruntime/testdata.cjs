// Loads a model and what hone made of it in ONNX Runtime and compares their outputs on the same drawn inputs; see `testdata`.
// Prints one JSON object: {loads, status, reason}. status: equal, different, not comparable.
const fs = require('fs');
const ort = require('onnxruntime-node');

const kinds = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, uint64: BigUint64Array, int32: Int32Array, uint32: Uint32Array,
  int16: Int16Array, uint16: Uint16Array, int8: Int8Array, uint8: Uint8Array, bool: Uint8Array, float16: Uint16Array,
};
// Relative to the largest magnitude of an output. Results rounded to bytes may be one step apart.
const tolerances = { float32: 2e-3, float64: 2e-3, float16: 2e-2, int8: 1 / 127, uint8: 1 / 127 };
// Sizes for all dynamic dimensions, should those that hone assumed not do; and how numbers are drawn.
const sizes = [2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 1];
const draws = [
  (next, real) => (real ? 2 * next() - 1 : Math.floor(2 * next())),
  (next, real) => (real ? next() + 0.5 : 1),
  () => 0,
  (next, real) => (real ? next() : 2 + Math.floor(3 * next())),
];

function generator(seed) {  // small, so that a failure can be repeated
  let state = seed >>> 0;
  return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296);
}

function halfOf(value) {  // of an ordinary number, rounded towards zero
  const bits = new Uint32Array(new Float32Array([value]).buffer)[0];
  const exponent = ((bits >>> 23) & 255) - 112;
  return ((bits >>> 16) & 0x8000) | (exponent <= 0 ? 0 : (exponent << 10) | ((bits >>> 13) & 1023));
}

function numberOfHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, rest = bits & 1023;
  if (exponent === 31) return rest ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + rest / 1024) * 2 ** (exponent - 15) : (rest / 1024) * 2 ** -14);
}

function drawTensor(input, size, assumed, draw, next) {
  const known = assumed[input.name];
  const dims = known || input.shape.map((each) => (typeof each === 'number' && each >= 0 ? each : size));
  const count = dims.reduce((a, b) => a * b, 1);
  if (count > 1 << 26) throw new Error(`input '${input.name}' would have ${count} elements`);
  if (input.type === 'string') return new ort.Tensor('string', Array.from({ length: count }, () => `word${Math.floor(next() * 100)}`), dims);
  const Kind = kinds[input.type];
  if (!Kind) throw new Error(`input '${input.name}' is of type ${input.type}, which the package for Node cannot make`);
  const real = input.type.startsWith('float'), data = new Kind(count);
  for (let i = 0; i < count; ++i) {
    const value = draw(next, real);
    data[i] = input.type.endsWith('int64') ? BigInt(value) : input.type === 'float16' ? halfOf(value) : value;
  }
  return new ort.Tensor(input.type, data, dims);
}

/// Inputs worth trying, the likeliest first.
function* attempts(inputs, assumed) {
  const dynamic = inputs.some((each) => each.isTensor && each.shape.some((dim) => typeof dim !== 'number' || dim < 0));
  const choices = dynamic ? sizes : [1];
  if (Object.keys(assumed).length) for (const draw of draws) yield [1, assumed, draw];
  for (const draw of draws) for (const size of choices) yield [size, {}, draw];
}

function drawInputs(inputs, [size, assumed, draw]) {
  const next = generator(7), feeds = {};
  for (const input of inputs) {
    if (!input.isTensor) throw new Error(`input '${input.name}' is no tensor, which the package for Node cannot make`);
    feeds[input.name] = drawTensor(input, size, assumed, draw, next);
  }
  return feeds;
}

function difference(name, found, expected) {
  if (!found) return `output '${name}' is missing`;
  if (found.type !== expected.type) return `output '${name}' is of ${found.type}, not ${expected.type}`;
  if (found.dims.join() !== expected.dims.join()) return `output '${name}' is [${found.dims}], not [${expected.dims}]`;
  if (expected.type === 'string') return found.data.join('\0') === expected.data.join('\0') ? '' : `output '${name}' has other strings`;
  const number = expected.type === 'float16' && expected.data instanceof Uint16Array ? numberOfHalf : Number;
  let worst = 0, scale = 1e-6;
  for (let i = 0; i < expected.data.length; ++i) {
    const a = number(found.data[i]), b = number(expected.data[i]);
    if (Number.isFinite(b)) scale = Math.max(scale, Math.abs(b));
    if (a !== b && !(Number.isNaN(a) && Number.isNaN(b))) worst = Math.max(worst, Number.isNaN(a - b) ? Infinity : Math.abs(a - b));
  }
  return worst / scale <= (tolerances[expected.type] || 0) ? '' : `output '${name}' differs by ${worst} of ${scale}`;
}

function firstDifference(found, expected) {
  for (const [name, tensor] of Object.entries(expected)) {
    const fault = difference(name, found[name], tensor);
    if (fault) return fault;
  }
  return '';
}

const load = (file, level = 'all') => ort.InferenceSession.create(file, { intraOpNumThreads: 1, logSeverityLevel: 4, graphOptimizationLevel: level });
const sentence = (error) => String(error.message || error).split('\n')[0].slice(0, 240);

/// Inputs on which the original runs, and what it makes of them.
async function runnable(session, assumed) {
  let reason = 'it has no inputs that could be drawn';
  for (const attempt of attempts(session.inputMetadata, assumed)) {
    try {
      const feeds = drawInputs(session.inputMetadata, attempt);
      return { feeds, outputs: await session.run(feeds) };
    } catch (error) {
      reason = sentence(error);
    }
  }
  return { reason };
}

/// Whether the two differ also where ONNX Runtime leaves them as they are: some of its fusions change results by themselves.
async function differsUnoptimized(original, result, feeds) {
  const expected = await (await load(original, 'disabled')).run(feeds);
  return firstDifference(await (await load(result, 'disabled')).run(feeds), expected);
}

async function compare(original, result, assumed) {
  let first, second;
  try {
    first = await load(original);
  } catch (error) {
    return { loads: false, reason: sentence(error) };
  }
  if (!fs.existsSync(result)) return { loads: true };
  try {
    second = await load(result);
  } catch (error) {
    return { loads: true, status: 'different', reason: `does not load: ${sentence(error)}` };
  }
  const made = { loads: true };
  const ran = await runnable(first, assumed);
  if (!ran.feeds) return { ...made, status: 'not comparable', reason: ran.reason };
  const again = await (await load(original)).run(ran.feeds);
  if (firstDifference(again, ran.outputs)) return { ...made, status: 'not comparable', reason: 'the original gives other outputs each time' };
  console.log(JSON.stringify({ ...made, status: 'different', reason: 'ONNX Runtime died of the result' }));  // unless more is said below
  try {
    let reason = firstDifference(await second.run(ran.feeds), ran.outputs);
    if (reason && !(await differsUnoptimized(original, result, ran.feeds))) reason = '';
    return { ...made, status: reason ? 'different' : 'equal', reason };
  } catch (error) {
    return { ...made, status: 'different', reason: `does not run: ${sentence(error)}` };
  }
}

const [original, result, assumed] = process.argv.slice(2);
compare(original, result, JSON.parse(assumed || '{}')).then((found) => console.log(JSON.stringify(found)));
