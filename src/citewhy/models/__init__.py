"""Networks, one a file. `torch` is the extra ``train``: these modules import it at the top, and are
themselves imported where a network is trained or opened, and nowhere else."""
