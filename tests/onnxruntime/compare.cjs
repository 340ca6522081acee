// Runs models in ONNX Runtime as they came, as hone writes them, and cleaned up, on the same inputs; see `compare`.
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const ort = require('onnxruntime-node');

const arrays = {
  float: ['float32', Float32Array, '<f4'], double: ['float64', Float64Array, '<f8'], int64: ['int64', BigInt64Array, '<i8'],
  int32: ['int32', Int32Array, '<i4'], uint8: ['uint8', Uint8Array, '|u1'], int8: ['int8', Int8Array, '|i1'],
  bool: ['bool', Uint8Array, '|b1'],
};
// Where the two differ more than rounding explains, something is wrong. Results rounded to bytes may be one step apart.
const tolerance = (data) => (data instanceof Uint8Array || data instanceof Int8Array ? 1 / 127 : 2e-3);

function random(seed) {  // a small generator, so that a failure can be repeated
  let state = seed >>> 0;
  return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296);
}

function drawInput(type, dims, next, fixed) {
  const [name, Kind] = arrays[type];
  const data = new Kind(dims.reduce((a, b) => a * b, 1));
  for (let i = 0; i < data.length; ++i) {
    const value = fixed !== undefined ? fixed : type === 'uint8' ? Math.floor(next() * 256) : type.includes('int') || type === 'bool' ? Math.floor(next() * 2) : next() * 2 - 1;
    data[i] = type === 'int64' ? BigInt(value) : value;
  }
  return new ort.Tensor(name, data, dims);
}

function writeNpy(file, tensor, type) {
  const shape = tensor.dims.join(', ') + (tensor.dims.length === 1 ? ',' : '');
  let header = `{'descr': '${arrays[type][2]}', 'fortran_order': False, 'shape': (${shape}), }`;
  header = header.padEnd(header.length + 63 - ((header.length + 10) % 64), ' ') + '\n';
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  const bytes = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  fs.writeFileSync(file, Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), length, Buffer.from(header, 'latin1'), bytes]));
}

function readNpy(file, like) {
  const bytes = fs.readFileSync(file);
  const data = bytes.subarray(10 + bytes.readUInt16LE(8));
  return new like.data.constructor(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));
}

// Largest difference over the largest magnitude of the reference; infinite for other lengths.
function relativeError(found, reference) {
  if (found.length !== reference.length) return Infinity;
  let error = 0, scale = 1e-6;
  for (let i = 0; i < found.length; ++i) {
    const a = Number(found[i]), b = Number(reference[i]);
    if (Number.isNaN(a) && Number.isNaN(b)) continue;
    if (Number.isFinite(b)) scale = Math.max(scale, Math.abs(b));
    if (a !== b) error = Math.max(error, Number.isNaN(a - b) ? Infinity : Math.abs(a - b));
  }
  return error / scale;
}

const sameBits = (a, b) => Buffer.compare(Buffer.from(a.buffer, a.byteOffset, a.byteLength), Buffer.from(b.buffer, b.byteOffset, b.byteLength)) === 0;

async function runModel(file, feeds) {
  const session = await ort.InferenceSession.create(file, { graphOptimizationLevel: 'all', intraOpNumThreads: 1 });
  return session.run(feeds);
}

async function compare(hone, argument, folder) {
  const fromZoo = argument.startsWith('zoo:');
  const [model, ...sizes] = fromZoo ? [path.join(folder, 'zoo.onnx')] : argument.split(',');
  if (fromZoo) execFileSync(hone, ['zoo', argument, '-o', model]);
  const dims = [], fixed = {};
  for (const size of sizes) {
    if (size.includes(':')) dims.push(size);
    else if (size.startsWith('sr=')) fixed.sr = Number(size.slice(3));
    else dims.push('--dim', size);
  }
  const positional = dims.filter((d) => d.includes(':')), options = dims.filter((d) => !d.includes(':'));
  const summary = JSON.parse(execFileSync(hone, ['inspect', model, '--json', ...positional, ...options], { maxBuffer: 1 << 28 }));
  const next = random(7), feeds = {}, files = [];
  for (const input of summary.inputs.filter((each) => !each.default)) {
    const [, type, shape] = input.type.match(/^(\w+)(?:\[(.*)\])?$/);
    feeds[input.name] = drawInput(type, shape ? shape.split(',').map(Number) : [], next, fixed[input.name]);
    const file = path.join(folder, `input${files.length}.npy`);
    writeNpy(file, feeds[input.name], type);
    files.push('-i', `${input.name}=${file}`);
  }
  const exported = path.join(folder, 'exported.onnx'), cleaned = path.join(folder, 'cleaned.onnx'), outputs = path.join(folder, 'outputs');
  fs.rmSync(outputs, { recursive: true, force: true });
  execFileSync(hone, ['convert', model, '-o', exported]);
  execFileSync(hone, ['convert', model, '--clean', '-o', cleaned]);
  const original = await runModel(model, feeds), again = await runModel(exported, feeds), clean = await runModel(cleaned, feeds);
  execFileSync(hone, ['run', model, ...positional, ...options, ...files, '-o', outputs], { stdio: 'ignore' });
  let bits = true, cleanError = 0, honeError = 0, within = true;
  for (const [name, tensor] of Object.entries(original)) {
    bits = bits && sameBits(again[name].data, tensor.data);
    const found = readNpy(path.join(outputs, name.replace(/[/:]/g, '_') + '.npy'), tensor);
    const errors = [relativeError(clean[name].data, tensor.data), relativeError(found, tensor.data)];
    within = within && Math.max(...errors) <= tolerance(tensor.data);
    cleanError = Math.max(cleanError, errors[0]);
    honeError = Math.max(honeError, errors[1]);
  }
  return { bits, within, cleanError, honeError, nodes: summary.nodes, unknown: summary.values_of_unknown_shape };
}

(async () => {
  const [hone, ...models] = process.argv.slice(2);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hone-'));
  let passed = 0, failed = 0;
  console.log('model                                     nodes  unknown shapes  exported    cleaned  reference');
  for (const model of models) {
    let line;
    try {
      const r = await compare(hone, model, folder);
      const ok = r.bits && r.within;
      ok ? ++passed : ++failed;
      line = `${String(r.nodes).padStart(5)}  ${String(r.unknown).padStart(14)}  ${r.bits ? 'same bits' : 'DIFFERENT'}  ${r.cleanError.toExponential(2).padStart(9)}  ${r.honeError.toExponential(2).padStart(9)}${ok ? '' : '  FAILED'}`;
    } catch (error) {
      ++failed;
      line = `FAILED: ${String(error.stderr || error.message).trim().split('\n').pop()}`;
    }
    console.log((model.startsWith('zoo:') ? model : path.basename(model)).split(',')[0].padEnd(40), line);
  }
  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
})();
